const fs = require('fs');

exports.upper = (f) => fs.readFileSync(f).toString().toUpperCase();
exports.firstColumn = (f) => fs.readFileSync(f, 'utf8').split('\n').map((l) => l.split(' ')[0]);
exports.unique = (f) => new Set(fs.readFileSync(f, 'utf8').split('\n'));
exports.isBlank = (line) => line.trim() === '';
