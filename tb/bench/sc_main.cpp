// The SystemC library refers to it. Programs that use the virtual bench have a main of their own, and this is never
// reached; it stands in a file of its own so that a program with its own sc_main links as well.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
