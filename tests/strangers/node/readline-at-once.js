const fs = require('fs');
const readline = require('readline');

exports.countLines = function (filePath) {
  let lines = 0;
  const rl = readline.createInterface({ input: fs.createReadStream(filePath), crlfDelay: Infinity });
  rl.on('line', () => { lines++; });
  rl.on('close', () => { exports.lines = lines; });
};
