const fs = require('fs');
const path = require('path');
const config = JSON.parse(fs.readFileSync(path.join(__dirname, '../config.json'), 'utf8'));

exports.textOf = (name) => fs.readFileSync(name, config.encoding);
