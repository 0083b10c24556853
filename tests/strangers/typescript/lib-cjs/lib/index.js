'use strict';
const { trimmed } = require('line-tools-cjs');
const { level } = require('../config.json');
const { textOf } = require('../helpers/text');

module.exports = {
  trimmedLines: (path) => trimmed(textOf(path)),
  countLevel(fileName) {
    return trimmed(textOf(fileName)).filter((line) => line.includes(level)).length;
  },
};
