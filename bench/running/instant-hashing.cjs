// Loaded into the service with `--require` by the benchmark `scale`: the threads that hash passwords return a constant
// hash at once, so that only the rest of the service is measured.
const workers = require('node:worker_threads');
const { EventEmitter } = require('node:events');

const result =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRvZnNpeHRlZQ$bm90IHRoZSBoYXNoIG9mIGFueXRoaW5nIHVzZWQ';

class InstantHashing extends EventEmitter {
  postMessage() {
    // A duration of 0 would make the capacity infinite.
    setImmediate(() => this.emit('message', { result, seconds: 0.000_01 }));
  }

  ref() {}

  unref() {}

  async terminate() {}
}

const { Worker } = workers;
workers.Worker = new Proxy(Worker, {
  construct: (target, args) =>
    args[1]?.name === 'hashing' ? new InstantHashing() : Reflect.construct(target, args),
});
require('node:module').syncBuiltinESMExports();
