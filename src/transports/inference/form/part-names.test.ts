import { expect, test } from 'bun:test';
import { PartNames } from './part-names.ts';

const names = new PartNames({
  files: { file: { maxBytes: 1, maxCount: 1 } },
  lists: ['languages[]'],
  texts: ['model', 'response_format', 'chunking_strategy', 'chunking_strategy[type]'],
});

test.each(['file', 'languages', 'model', 'response_format', 'chunking_strategy[type]'])(
  '%s is read as it is',
  (name) => {
    expect(names.check(name)).toBeNull();
  },
);

test.each([
  ...[
    ['Model', 'model'],
    ['MODEL', 'model'],
    ['model ', 'model'],
    ['\tmodel', 'model'],
    ['m\u200bodel', 'model'],
  ],
  ...[
    ['\ufeffmodel', 'model'],
    ['model\u00a0', 'model'],
    ['model[0]', 'model'],
    ['Model[x', 'model'],
  ],
  ...[
    ['ResponseFormat', 'response_format'],
    ['respon\u017fe_format', 'response_format'],
  ],
  ...[
    ['File', 'file'],
    ['languages[0]', 'languages'],
    ['Chunking_strategy[type]', 'chunking_strategy[type]'],
  ],
  ...[['chunking_strategy[other]', 'chunking_strategy']],
])('%j is refused as another spelling of %s', (name = '', own = '') => {
  expect(names.check(name)).toMatchObject({ code: 'invalid_value', status: 400, details: { didYouMean: own } });
});

test.each(['hotwords', 'model_version', 'models', 'x[model]', 'mode'])('%s is another part, and passes', (name) => {
  expect(names.check(name)).toBeNull();
});
