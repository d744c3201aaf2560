/** Nothing is known of the first rows; one with an object of the largest size has some hundred KB. */
const FIRST_ROWS = 5;
const MOST_ROWS = 100;
/** Rows behind many small ones may be large, so the next chunk is no more than this many times as long. */
const GROWTH = 10;

/** Decides how many rows of a list are read at a time, so that they take about as many bytes of memory as are wanted. */
export class ChunkRows {
  private rows = 0;
  private bytes = 0;
  private latest = 0;

  /** Notes what the rows that were read last have come to. */
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
