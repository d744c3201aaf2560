/** The size of the first rows is unknown; one with an object of the largest size has some hundred KB. */
const FIRST_ROWS = 5;
const MOST_ROWS = 100;
/** Rows after many small ones may be large, so the next chunk is at most this many times as long. */
const GROWTH = 10;

/** Decides how many rows of a list to read at a time, so that a chunk takes about the desired number of bytes. */
export class ChunkRows {
  private rows = 0;
  private bytes = 0;
  private latest = 0;

  /** Records the size of the rows that were read last. */
  add(rows: number, bytes: number): void {
    this.rows += rows;
    this.bytes += bytes;
  }

  next(wantedBytes: number): number {
    this.latest = this.rows === 0 ? FIRST_ROWS : this.fitting(wantedBytes);
    return this.latest;
  }

  private fitting(wantedBytes: number): number {
    const rows = Math.floor((wantedBytes * this.rows) / Math.max(1, this.bytes));
    return Math.max(1, Math.min(rows, this.latest * GROWTH, MOST_ROWS));
  }
}
