const fs = require('fs');

module.exports.dump = function dump(path) {
  fs.readFileSync(path, 'utf8').split('\n').forEach((line, i) => console.log(i, line));
};
