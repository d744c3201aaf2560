/** The result that an SDK handed to its caller, in a comparable form. */
export interface Outcome {
  /** The returned value: an object, the list of chunks, or the parts of a stream. */
  readonly value?: unknown;
  /** The error that was thrown. */
  readonly error?: SdkError;
}

export interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly status?: number | undefined;
}

export function sdkError(error: unknown): SdkError {
  if (!(error instanceof Error)) return { name: 'unknown', message: String(error) };
  // Both SDKs put the HTTP status on their errors, `openai` as `status`, `ai` as `statusCode`.
  const { status, statusCode } = error as { readonly status?: number; readonly statusCode?: number };
  return { name: error.name, message: error.message, status: status ?? statusCode };
}
