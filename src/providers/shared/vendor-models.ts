import { modelsOf } from './models.ts';

/* What two providers serve of the same vendor's models, under the same ids. */

export const OPENAI_CATALOGUE = [
  ...modelsOf('chat', [
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-luna',
    'gpt-5.5',
    'gpt-5.4-mini',
    'gpt-5-mini',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4o',
    'gpt-4o-mini',
  ]),
  ...modelsOf('embedding', ['text-embedding-3-small', 'text-embedding-3-large']),
];

export const GEMINI_CHAT = modelsOf('chat', [
  'gemini-3.8-flash',
  'gemini-3.6-flash',
  'gemini-3.5-flash-lite',
  'gemini-3.1-pro-preview',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
]);

export const GEMINI_EMBEDDING = modelsOf('embedding', ['gemini-embedding-001']);
