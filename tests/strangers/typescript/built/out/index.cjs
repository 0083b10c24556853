exports.errors = () => {
  throw new Error('this is the other one');
};
