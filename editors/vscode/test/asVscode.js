module.exports = require("./fakes").vscode;
