const fs = require('fs');

const data = fs.readFileSync(process.argv[2] || 'access.log');
console.log(data.length);
