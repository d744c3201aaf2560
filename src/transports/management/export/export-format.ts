import { CSV_TYPE } from '../csv.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The content types of exported files. */
export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = { csv: CSV_TYPE, jsonl: 'application/jsonl' };
