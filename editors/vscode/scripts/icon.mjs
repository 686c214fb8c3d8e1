// Draws icon.png: a curve that leaves the picture at its singular point.
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const SIZE = 128;
const SAMPLES = 4; // per pixel and direction
const BACKGROUND = [24, 32, 48];
const AXIS = [90, 104, 130];
const CURVE = [217, 95, 2];
const POLE = [240, 240, 245];

/** The colour at a point of the unit square, whose origin is below on the left. */
function colour(x, y) {
  const [u, v] = [x - 0.5, y - 0.2];
  const corner = Math.hypot(Math.max(Math.abs(u) - 0.36, 0), Math.max(Math.abs(y - 0.5) - 0.36, 0));
  if (corner > 0.13) return null;
  if (Math.abs(u) < 0.012 && Math.floor(y * 16) % 2 === 0) return POLE;
  const height = 0.035 / Math.abs(u);
  const slope = height / Math.abs(u);
  if (Math.abs(v - height) / Math.hypot(1, slope) < 0.028) return CURVE;
  return Math.abs(v) < 0.009 ? AXIS : BACKGROUND;
}

function pixel(column, row) {
  const sum = [0, 0, 0, 0];
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = (column + ((i % SAMPLES) + 0.5) / SAMPLES) / SIZE;
    const y = 1 - (row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / SIZE;
    const found = colour(x, y);
    if (found) [...found, 255].forEach((value, at) => (sum[at] += value));
  }
  const opaque = sum[3] / 255 || 1;
  return [
    ...sum.slice(0, 3).map((value) => Math.round(value / opaque)),
    Math.round(sum[3] / SAMPLES ** 2),
  ];
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8); // eight bits of red, green, blue and alpha
const rows = Array.from({ length: SIZE }, (_, row) => [
  0,
  ...Array.from({ length: SIZE }, (_, column) => pixel(column, row)).flat(),
]);
const png = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  chunk("IHDR", header),
  chunk("IDAT", deflateSync(Buffer.from(rows.flat()), { level: 9 })),
  chunk("IEND", Buffer.alloc(0)),
]);
writeFileSync("icon.png", png);
