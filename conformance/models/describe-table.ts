import { describe, expect, test } from 'bun:test';
import { tableOfContract } from './contract.ts';

/** A row of a table of the contract, its cells word for word, and what must hold because of it. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly check: () => void | Promise<void>;
}

/** Where a table stands: the `index`th below the heading; `rows` leaves out those that are about other endpoints. */
export interface TablePlace {
  readonly heading: string;
  readonly index?: number;
  readonly rows?: (cells: readonly string[]) => boolean;
}

/** One test for each row, named after it, and one that holds the rows against the contract. */
export function describeTable(name: string, place: TablePlace, rows: readonly TableRow[]): void {
  describe(name, () => {
    for (const { cells, check } of rows) test(cells.join(' | '), check);

    test("these rows are the contract's", () => {
      const { heading, index = 0, rows: isMeant = () => true } = place;
      expect(rows.map(({ cells }) => [...cells])).toEqual(tableOfContract(heading, index).filter(isMeant));
    });
  });
}
