// Yosys as npm brings it along, with two faults of the code around its WebAssembly mended as it is loaded (@yowasp/yosys 0.70).
import {registerHooks} from 'node:module';

const kBundle = import.meta.resolve('@yowasp/yosys');
const kMended = [
  // Each write copied the whole file, a kilobyte at a time: minutes for the netlist that ABC reads.
  {
    from: /const newData = new Uint8Array\(Math\.max\(this\.file\.data\.length, offset \+ contents\.length\)\);\s+newData\.set\(this\.file\.data\);\s+newData\.subarray\(offset\)\.set\(contents\);\s+this\.file\.data = newData;/g,
    to: `const end = offset + contents.length;
    if (this.file.room === undefined || this.file.room.buffer !== this.file.data.buffer || this.file.room.length < end) {
      this.file.room = new Uint8Array(2 * end + 4096);
      this.file.room.set(this.file.data);
    }
    this.file.room.set(contents, offset);
    this.file.data = this.file.room.subarray(0, Math.max(this.file.data.length, end));`,
  },
  // With more than 2 GiB of memory an address looks negative, and other memory was written in place of what stands there.
  {from: /memory0\.buffer\.slice\((ptr\d+), \1 \+ (len\d+) \* 1\)/g, to: 'memory0.buffer.slice($1 >>> 0, ($1 >>> 0) + $2)'},
];

function mend(source) {
  return kMended.reduce((text, {from, to}) => {
    if (text.search(from) < 0) throw new Error(`@yowasp/yosys is not what tests/synthesis/yowasp.mjs mends: ${from} is nowhere in it`);
    return text.replace(from, to);
  }, source);
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return url === kBundle ? {...loaded, source: mend(loaded.source.toString())} : loaded;
  },
});

export const {runYosys} = await import(kBundle);
