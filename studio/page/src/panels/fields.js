// Fields of a form: each shows and sets one value of an object.

import { copyText, h } from '../dom.js';
import { emit } from '../store.js';

export function field(title, input) {
  return h(
    'label',
    { class: 'row' },
    h('span', { class: 'grow' }, title),
    h('span', { class: 'field' }, input),
  );
}

// values: [[value, text], ...]
export function choice(form, key, values, onchange) {
  const select = h(
    'select',
    {
      onchange: () => {
        form[key] = select.value;
        onchange?.();
      },
    },
    ...values.map(([value, text]) => h('option', { value }, text)),
  );
  select.value = form[key];
  return select;
}

// A number, shown times `factor`; what is not good is not taken.
export function numberField(form, key, onchange, { factor = 1, isGood = (x) => x > 0 } = {}) {
  const show = () => {
    input.value = String(Number((factor * form[key]).toPrecision(9)));
  };
  const input = h('input', {
    type: 'number',
    step: 'any',
    onchange: () => {
      if (isGood(input.valueAsNumber)) form[key] = input.valueAsNumber / factor;
      show();
      onchange?.();
    },
  });
  show();
  return input;
}

export function copyButton(title, text) {
  return h(
    'button',
    {
      onclick: async () => emit('message', (await copyText(text())) ? `copied: ${text()}` : text()),
    },
    title,
  );
}
