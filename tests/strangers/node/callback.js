const fs = require('fs');

function countLines(file, callback) {
  fs.readFile(file, 'utf8', (err, data) => {
    if (err) return callback(err);
    callback(null, data.split('\n').length - 1);
  });
}

module.exports = countLines;
