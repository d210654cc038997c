# algbench on a machine without a GPU: says so, and ends with 4.
foreach(CASE "no_such_driver.so;no_such_driver.so" "${STAND_IN};NO_DEVICE")
  list(GET CASE 0 DRIVER)
  list(GET CASE 1 WORDS)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ALGRT_CUDA_DRIVER=${DRIVER} ${ALGBENCH} ${BUNDLE} --target=sm_90a
    RESULT_VARIABLE STATUS OUTPUT_VARIABLE OUT ERROR_VARIABLE ERR)
  if(NOT STATUS EQUAL 4)
    message(FATAL_ERROR "ends with ${STATUS}, not 4: ${OUT}${ERR}")
  endif()
  string(FIND "${ERR}" "${WORDS}" AT)
  if(AT EQUAL -1)
    message(FATAL_ERROR "does not say '${WORDS}': ${ERR}")
  endif()
endforeach()
