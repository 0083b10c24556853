const fs = require('fs');

function readConfig(fileName, options = {}) {
  const text = fs.readFileSync(fileName, { encoding: 'utf8', ...options });
  return text.length;
}

if (require.main === module) {
  console.log(readConfig(process.argv[2]));
}

module.exports = { readConfig };
