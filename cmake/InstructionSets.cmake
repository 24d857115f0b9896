# One copy of the vector loops for every instruction set worth a copy. Each copy sees HINGE_ISA, the name of its namespace, so
# that the linker never mixes two of them up. The source must include no templates with external linkage: a copy of, say,
# std::sort compiled for AVX-512 could otherwise be the one the linker keeps for everybody.

include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

function(hinge_add_loops source)
  set(objects)
  check_cxx_source_compiles("#ifndef __x86_64__\n#error\n#endif\nint main() { return 0; }" HINGE_TARGET_IS_X86_64)
  check_cxx_compiler_flag(-march=x86-64-v4 HINGE_COMPILER_KNOWS_LEVELS)
  hinge_add_loop_copy(${source} baseline)
  if(HINGE_TARGET_IS_X86_64 AND HINGE_COMPILER_KNOWS_LEVELS)
    hinge_add_loop_copy(${source} v3 -march=x86-64-v3)
    hinge_add_loop_copy(${source} v4 -march=x86-64-v4 -mprefer-vector-width=512)
    set(HINGE_X86 ON PARENT_SCOPE)
  endif()
  set(HINGE_LOOP_OBJECTS ${objects} PARENT_SCOPE)
endfunction()

macro(hinge_add_loop_copy source name)
  add_library(hinge_loops_${name} OBJECT ${source})
  target_link_libraries(hinge_loops_${name} PRIVATE hinge_flags)
  target_compile_options(hinge_loops_${name} PRIVATE ${ARGN})
  target_compile_definitions(hinge_loops_${name} PRIVATE HINGE_ISA=${name})
  list(APPEND objects $<TARGET_OBJECTS:hinge_loops_${name}>)
endmacro()
