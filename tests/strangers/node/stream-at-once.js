const fs = require('fs');

function countBytes(path) {
  let total = 0;
  const stream = fs.createReadStream(path);
  stream.on('data', (chunk) => { total += chunk.length; });
  stream.on('end', () => console.log(total));
}

module.exports = { countBytes };
