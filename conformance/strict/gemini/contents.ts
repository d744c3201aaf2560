import { asObject, isObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import {
  allParts,
  answer,
  CHECKED,
  call,
  contentsOf,
  FAMILY_3,
  firstProblem,
  model,
  partsIn,
  saying,
  text,
  user,
} from './reading.ts';

const contentsRequired: Rule = {
  id: 'contents-required',
  statement: 'A request must have at least one content.',
  source: { url: 'specs/gemini-v1beta.openapi.json#GenerateContentRequest.contents', checked: CHECKED },
  refuses: (request) =>
    contentsOf(request).length === 0 ? '* GenerateContentRequest.contents: contents is not specified' : null,
  examples: { refused: [saying()] },
};

const roles: Rule = {
  id: 'roles',
  statement: "A content's role must be `user` or `model`.",
  source: { url: 'recordings/vertex/generateContent/048-test-generate-content-invalid-role.json', checked: CHECKED },
  refuses: (request) =>
    contentsOf(request).every(({ role }) => role === undefined || role === 'user' || role === 'model')
      ? null
      : 'Please use a valid role: user, model.',
  examples: { refused: [saying({ role: 'assistant', parts: [text()] })], accepted: [saying({ parts: [text()] })] },
};

const partsRequired: Rule = {
  id: 'parts-required',
  statement: 'A content must have at least one part.',
  source: { url: 'https://github.com/QuantumNous/new-api/pull/1260', checked: CHECKED },
  refuses: (request) =>
    contentsOf(request).every((content) => partsIn(content).length > 0)
      ? null
      : 'Unable to submit request because it must include at least one parts field, which describes the prompt input.',
  examples: { refused: [saying(user(text()), user()), saying(model())] },
};

/** Google itself ends a stream with an empty text that carries the signature of the text before it. */
const emptyText: Rule = {
  id: 'empty-text',
  statement: 'A text part must not be empty.',
  source: { url: 'https://github.com/Portkey-AI/gateway/issues/462', checked: CHECKED },
  refuses: (request) =>
    allParts(request).some(({ part }) => part.text === '' && part.thoughtSignature === undefined && !part.thought)
      ? 'Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.'
      : null,
  examples: {
    refused: [saying(user(text(''))), saying(user(text()), model(text('')), user(text()))],
    accepted: [saying(user(text()), model({ text: '', thoughtSignature: 'c2ln' }), user(text()))],
  },
};

const isCall = (part: object) => 'functionCall' in part;
const isAnswer = (part: object) => 'functionResponse' in part;

const callOrder: Rule = {
  id: 'call-order',
  statement: 'A turn with function calls must follow a user turn or a turn with function responses.',
  source: { url: 'https://github.com/google-gemini/gemini-cli/issues/11814', checked: CHECKED },
  refuses(request) {
    const contents = contentsOf(request);
    const isWrong = contents.some(
      (content, index) => partsIn(content).some(isCall) && (contents[index - 1]?.role ?? 'model') !== 'user',
    );
    return isWrong
      ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
      : null;
  },
  examples: {
    refused: [
      saying(model(call()), user(answer())),
      saying(user(text()), model(text()), model(call()), user(answer())),
    ],
    accepted: [saying(user(text()), model(call()), user(answer()), model(call()), user(answer()))],
  },
};

const answerCount: Rule = {
  id: 'answer-count',
  statement: 'The turn after function calls must have one function response per call; other turns must have none.',
  source: { url: 'https://github.com/microsoft/vscode/issues/299295', checked: CHECKED },
  refuses(request) {
    const contents = contentsOf(request);
    const count = (content: object | undefined, is: (part: object) => boolean) =>
      content === undefined ? 0 : partsIn(asObject(content) as never).filter(is).length;
    const isWrong = contents.some((content, index) => {
      const calls = index === 0 ? 0 : count(contents[index - 1], isCall);
      return calls !== count(content, isAnswer);
    });
    return isWrong
      ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
      : null;
  },
  examples: {
    refused: [
      saying(user(text()), model(call(), call('g', {})), user(answer())),
      saying(user(text()), model(call()), user(text()), user(answer())),
      saying(user(text()), model(call()), user(text())),
      saying(user(text()), model(call()), user(answer()), user(answer())),
    ],
    accepted: [
      saying(user(text()), model(call())),
      saying(user(text()), model(call(), call('g', {})), user(answer(), answer('g')), user(text())),
    ],
  },
};

const answerNames: Rule = {
  id: 'answer-names',
  statement: 'A function response must repeat the name of its call.',
  source: { url: 'specs/gemini-v1beta.openapi.json#FunctionResponse.name', checked: CHECKED },
  refuses(request) {
    const found = allParts(request).find(({ part }) => isAnswer(part) && !asObject(part.functionResponse).name);
    return found ? `* GenerateContentRequest.${found.path}.function_response.name: Name cannot be empty.` : null;
  },
  examples: { refused: [saying(user(text()), model(call()), user(answer('')))] },
};

const objects: Rule = {
  id: 'objects',
  statement: '`args` of a call and `response` of its result must be JSON objects.',
  source: { url: 'specs/gemini-v1beta.openapi.json#FunctionCall.args', checked: CHECKED },
  refuses(request) {
    return firstProblem(allParts(request), ({ part, path }) => {
      const { args } = asObject(part.functionCall);
      const { response } = asObject(part.functionResponse);
      const isWrong = (args !== undefined && !isObject(args)) || (isAnswer(part) && !isObject(response));
      return isWrong ? `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct)` : null;
    });
  },
  examples: {
    refused: [
      saying(user(text()), model({ functionCall: { name: 'f', args: [1] }, thoughtSignature: 'c2ln' }), user(answer())),
      saying(user(text()), model(call()), user({ functionResponse: { name: 'f', response: 'x' } })),
    ],
  },
};

const signatures: Rule = {
  id: 'thought-signatures',
  statement: 'In the current turn, the first function call of each step must have its thought signature.',
  family: FAMILY_3,
  source: { url: 'https://ai.google.dev/gemini-api/docs/thought-signatures', checked: CHECKED },
  refuses(request) {
    const contents = contentsOf(request);
    const turn = contents.findLastIndex(
      (content) => content.role !== 'model' && partsIn(content).some((part) => !isAnswer(part) && 'text' in part),
    );
    for (const [index, content] of contents.entries()) {
      const first = index > turn ? partsIn(content).find(isCall) : undefined;
      if (first === undefined || first.thoughtSignature !== undefined) continue;
      const name = String(asObject(first.functionCall).name);
      return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`;
    }
    return null;
  },
  examples: {
    refused: [saying(user(text()), model(call('f', {})), user(answer()))],
    accepted: [
      saying(user(text()), model(call(), call('g', {})), user(answer(), answer('g'))),
      saying(user(text()), model(call('f', {})), user(answer()), model(text()), user(text())),
    ],
  },
};

const answerReferences: Rule = {
  id: 'answer-references',
  statement: "A `$ref` in a function's `response` must name one of its media, so a JSON schema is refused as a result.",
  family: FAMILY_3,
  source: { url: 'https://github.com/vercel/ai/issues/14369', checked: CHECKED },
  refuses(request) {
    return firstProblem(allParts(request), ({ part }) => {
      const { response, parts } = asObject(part.functionResponse);
      const names = JSON.stringify(parts ?? []);
      const [, name] = /"\$ref":"([^"]*)"/.exec(JSON.stringify(response ?? {})) ?? [];
      return name === undefined || names.includes(`"displayName":"${name}"`)
        ? null
        : `The referenced name \`${name}\` in function_response.response does not match to a display_name in the function_response.parts.`;
    });
  },
  examples: {
    refused: [saying(user(text()), model(call()), user(answer('f', { items: { $ref: '#/$defs/Item' } })))],
    accepted: [saying(user(text()), model(call()), user(answer('f', { output: '{"$ref":"#/$defs/Item"}' })))],
  },
};

const MEDIA_TYPES = new RegExp(
  [
    /^image\/(?:png|jpeg|webp|heic|heif)$/,
    /^audio\/(?:wav|x-wav|mp3|mpeg|mpga|aiff|aac|ogg|flac|opus|pcm|m4a|mp4|webm|l16|s16le|basic)(?:;.*)?$/,
    /^video\/(?:mp4|mpeg|mov|quicktime|avi|x-flv|flv|mpg|mpegps|webm|wmv|3gpp)$/,
    /^application\/(?:pdf|json|rtf|x-javascript|x-python-code|xml)$/,
    /^text\//,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

const mediaTypes: Rule = {
  id: 'media-types',
  statement: 'Media must have a supported type: `image/gif`, `image/bmp` and the alias `image/jpg` are refused.',
  source: { url: 'https://github.com/ogkalu2/comic-translate/pull/399', checked: CHECKED },
  refuses(request) {
    const media = allParts(request).flatMap(({ part }) => [part.inlineData, part.fileData].filter(isObject));
    return firstProblem(media, (file) => {
      const type = asObject(file).mimeType;
      return typeof type === 'string' && MEDIA_TYPES.test(type) ? null : `Unsupported MIME type: ${String(type ?? '')}`;
    });
  },
  examples: {
    refused: ['image/jpg', 'image/gif', 'png', '*/*'].map((mimeType) =>
      saying(user(text(), { inlineData: { mimeType, data: 'aGk=' } })),
    ) as never,
    accepted: ['image/png', 'audio/mp3', 'application/pdf'].map((mimeType) =>
      saying(user(text(), { inlineData: { mimeType, data: 'aGk=' } })),
    ),
  },
};

export const contentRules: readonly Rule[] = [
  ...[contentsRequired, roles, partsRequired, emptyText, callOrder, answerCount, answerNames, objects, signatures],
  ...[answerReferences, mediaTypes],
];
