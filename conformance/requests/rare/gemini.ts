import { type Bodies, PDF, PNG, SCHEMA, WAV } from './samples.ts';

export const GEMINI: Bodies = {
  'audio and video': {
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'What is to be heard and seen?' },
          { inlineData: { mimeType: 'audio/wav', data: WAV } },
          { fileData: { fileUri: 'https://www.youtube.com/watch?v=abcdefghijk' }, videoMetadata: { fps: 2 } },
        ],
      },
    ],
  },
  'executed code': {
    contents: [
      { role: 'user', parts: [{ text: 'Compute it.' }] },
      {
        role: 'model',
        parts: [
          { executableCode: { language: 'PYTHON', code: 'print(42)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'forty-two' } },
        ],
      },
      { role: 'user', parts: [{ text: 'Thanks a lot.' }] },
    ],
    tools: [{ codeExecution: {} }],
  },
  'unspecified enum values': {
    contents: [{ role: 'user', parts: [{ text: 'Say nothing new to me.' }] }],
    generationConfig: {
      responseModalities: ['TEXT'],
      responseLogprobs: false,
      mediaResolution: 'MEDIA_RESOLUTION_UNSPECIFIED',
    },
    toolConfig: { functionCallingConfig: { mode: 'MODE_UNSPECIFIED' } },
  },
  'every parameter': {
    system_instruction: { parts: [{ text: 'Be as brief as you can.' }] },
    contents: [{ parts: [{ text: 'Say a number between three and nine.' }] }],
    generation_config: {
      temperature: 0.3,
      top_p: 0.85,
      top_k: 44,
      seed: 4711,
      max_output_tokens: 333,
      presence_penalty: 0.25,
      frequency_penalty: -0.75,
      stop_sequences: ['eleven'],
      candidate_count: 1,
      media_resolution: 'MEDIA_RESOLUTION_LOW',
    },
    safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    labels: { purpose: 'a-test-of-losses' },
  },
  'log probabilities': {
    contents: [{ role: 'user', parts: [{ text: 'Say yes or no.' }] }],
    generationConfig: { responseLogprobs: true, logprobs: 4 },
  },
  'a tool loop': {
    contents: [
      { role: 'user', parts: [{ text: 'What is the weather like?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Both places have to be looked up.', thought: true },
          { functionCall: { name: 'weather', args: { city: 'Oslo', days: [3, 5] } }, thoughtSignature: 'c2lnbmF0dXJl' },
          { functionCall: { name: 'clock', args: { city: 'Lima' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { degrees: -11, sky: 'Snow all over the place.' } } },
          { functionResponse: { name: 'clock', response: { error: 'The clock has stopped.' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'Which of them is colder?' }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', description: 'Looks the weather up.', parametersJsonSchema: SCHEMA },
          {
            name: 'clock',
            description: 'Tells the time.',
            behavior: 'BLOCKING',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } } },
            response: { type: 'OBJECT', properties: { time: { type: 'STRING', description: 'The time of day' } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather', 'clock'] } },
    generationConfig: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
  },
  'images and documents': {
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'What do these show?' },
          { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'the picture' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://media.test/document.pdf' } },
          { inline_data: { mime_type: 'application/pdf', data: PDF } },
        ],
      },
    ],
  },
  'a response with a schema': {
    contents: [{ role: 'user', parts: [{ text: 'Give me a forecast.' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
  },
  'enum output': {
    contents: [{ role: 'user', parts: [{ text: 'Is it warm or cold?' }] }],
    generationConfig: { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['warm', 'cold'] } },
  },
  'a search': { contents: [{ role: 'user', parts: [{ text: 'What is new?' }] }], tools: [{ googleSearch: {} }] },
};
