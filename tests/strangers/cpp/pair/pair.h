#pragma once

#ifdef __cplusplus
extern "C"
#endif
long length(const char* text);
