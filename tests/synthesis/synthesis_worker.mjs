// One block in a thread of its own: Yosys does not let go of its thread until it is done.
import {parentPort, workerData} from 'node:worker_threads';
import {synthesize} from './synthesize.mjs';

parentPort.postMessage(await synthesize(workerData));
