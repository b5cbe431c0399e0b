# Makes a C file of a model file, for a program that runs without any:
#
#   cmake -DINPUT=models/arm.xml -DNAME=arm.xml -DSYMBOL=demo_arm -DOUTPUT=arm.c -P embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
string(REGEX REPLACE " +\n" "\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made of models/${NAME} by the build; do not edit.
#include \"support/demo_model.h\"

static const unsigned char text[] = {
    ${bytes}0};

const demo_model ${SYMBOL} = {\"${NAME}\", (const char *)text, sizeof text - 1};
")
