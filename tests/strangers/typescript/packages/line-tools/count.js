export const countLines = (text) => text.split('\n').length - 1;
