exports.trimmed = (text) => text.split('\n').map((line) => line.trim());
