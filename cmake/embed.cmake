# Makes a C file of a model file, for a program that runs without any:
#
#   cmake -DINPUT=model.xml -DOUTPUT=demo_model.c -P embed.cmake
file(READ ${INPUT} bytes HEX)
cmake_path(GET INPUT FILENAME name)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
string(REGEX REPLACE " +\n" "\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made of models/${name} by the build; do not edit.
#include \"demo_model.h\"

const char demo_model_name[] = \"${name}\";
const unsigned char demo_model_text[] = {
    ${bytes}0};
const size_t demo_model_size = sizeof demo_model_text - 1;
")
