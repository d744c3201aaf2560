import { expect, test } from 'bun:test';
import { contractHeadings, sectionOfContract } from '../../conformance/models/contract.ts';
import { contractText } from './documents.ts';

/* The contract sections quoted by the model tests exist in its text. */

test.each(contractHeadings())('%s', (heading) => {
  expect(sectionOfContract(heading)).toBe(sectionOfContract(heading, contractText()));
});
