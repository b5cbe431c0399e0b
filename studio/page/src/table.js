// Tables as `linkwork simulate` writes them: CSV with one line of names.

export function parseCsv(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const names = splitLine(lines[0] ?? '');
  const columns = names.map(() => new Float64Array(Math.max(lines.length - 1, 0)));
  for (let i = 1; i < lines.length; i += 1) {
    const values = splitLine(lines[i]);
    for (let k = 0; k < names.length; k += 1) columns[k][i - 1] = Number(values[k]);
  }
  return { names, columns, rows: Math.max(lines.length - 1, 0) };
}

// Fields may stand in quotes, where a name has a comma.
function splitLine(line) {
  if (!line.includes('"')) return line.split(',');
  const fields = [];
  let field = '';
  let isQuoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const c = line[i];
    if (c === '"' && isQuoted && line[i + 1] === '"') {
      field += '"';
      i += 1;
    } else if (c === '"') isQuoted = !isQuoted;
    else if (c === ',' && !isQuoted) {
      fields.push(field);
      field = '';
    } else field += c;
  }
  fields.push(field);
  return fields;
}

export function column(table, name) {
  const index = table.names.indexOf(name);
  return index < 0 ? null : table.columns[index];
}

// The row at or before a time; times ascend.
export function rowAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
