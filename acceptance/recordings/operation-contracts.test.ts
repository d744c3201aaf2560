import { expect, test } from 'bun:test';
import { type ModelOperation, OPERATIONS } from '../../src/domain/catalog/model-operation.ts';
import { OPERATION_CONTRACTS } from '../../src/domain/catalog/operation-contracts.ts';
import { CONTRACT_TABLES, type Row } from '../../src/domain/catalog/testing/contract-tables.ts';
import { contractText, publishedDocument } from './documents.ts';

/* Tests that the rows used by the operations' own tests are those of the contract's text. */

/** Returns the cells of the request table below the heading `POST path`. */
function tableInContract(path: string): string[][] {
  const section = contractText().split(`\n#### POST ${path}\n`)[1]?.split('\n#')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const cells = line.slice(1, -1).split('|');
    return cells.map((cell, column) => (column === 0 ? cell.trim().replaceAll('`', '') : cell.trim()));
  });
}

for (const [operation, rows] of Object.entries(CONTRACT_TABLES) as [ModelOperation, readonly Row[]][]) {
  const { endpoint } = OPERATION_CONTRACTS[operation];
  test(`POST ${endpoint}: the rows are the contract's`, () => {
    expect(tableInContract(endpoint)).toEqual(rows.map((row) => row.slice(0, 4) as string[]));
  });
}

// Moderations follow OpenAI, searches Perplexity; the contract does not describe them.
const promised = OPERATIONS.filter((operation) => operation !== 'moderations' && operation !== 'search');
test.each(promised)('%s has an endpoint in the contract', (operation) => {
  const { method, endpoint } = OPERATION_CONTRACTS[operation];
  const text = contractText();
  const places = [`#### ${method} ${endpoint}\n`, `| ${method} | \`${endpoint}\` |`];
  expect(places.filter((place) => text.includes(place))).toHaveLength(1);
});

const published: [ModelOperation, string, string, string[]][] = [
  ['images.generations', 'openai.openapi.json', 'CreateImageRequest', []],
  ['audio.speech', 'openai.openapi.json', 'CreateSpeechRequest', []],
  ['audio.transcriptions', 'openai.openapi.json', 'CreateTranscriptionRequest', []],
  ['messages', 'anthropic.openapi.json', 'CreateMessageParams', []],
  // The model is in the path.
  ['generate_content', 'gemini-v1beta.openapi.json', 'GenerateContentRequest', ['model']],
];
for (const [operation, file, schema, absent] of published) {
  test(`${operation} accepts what ${schema} of ${file} has`, () => {
    const { components } = publishedDocument(file);
    const names = Object.keys(components.schemas[schema].properties).filter((name) => !absent.includes(name));
    const ours = Object.keys(OPERATION_CONTRACTS[operation].parameters);
    expect(names.filter((name) => !ours.includes(name))).toEqual([]);
  });
}
