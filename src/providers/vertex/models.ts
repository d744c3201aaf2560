import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'gemini-3.8-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.1-pro-preview',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-sonnet-4-6',
    'claude-haiku-4-5@20251001',
  ]),
  ...modelsOf('embedding', ['gemini-embedding-001']),
];
