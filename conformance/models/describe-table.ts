import { describe, expect, test } from 'bun:test';
import { tableOfContract } from './contract.ts';

/** A row of one of the contract's tables, with its cells word for word, and the check of what it promises. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly check: () => void | Promise<void>;
}

/** The place of a table: the `index`th below the heading; `rows` excludes rows about other endpoints. */
export interface TablePlace {
  readonly heading: string;
  readonly index?: number;
  readonly rows?: (cells: readonly string[]) => boolean;
}

/** Defines one test per row, named after it, and one that compares the rows with the contract. */
export function describeTable(name: string, place: TablePlace, rows: readonly TableRow[]): void {
  describe(name, () => {
    for (const { cells, check } of rows) test(cells.join(' | '), check);

    test("these rows are the contract's", () => {
      const { heading, index = 0, rows: isMeant = () => true } = place;
      expect(rows.map(({ cells }) => [...cells])).toEqual(tableOfContract(heading, index).filter(isMeant));
    });
  });
}
