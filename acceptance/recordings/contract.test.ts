import { expect, test } from 'bun:test';
import { contractHeadings, sectionOfContract } from '../../conformance/models/contract.ts';
import { contractText } from './documents.ts';

/* The sections of the contract that the tests of models compare their rows with are those of its text. */

test.each(contractHeadings())('%s', (heading) => {
  expect(sectionOfContract(heading)).toBe(sectionOfContract(heading, contractText()));
});
