/** Thrown if the store cannot be opened. The message is one line that says what is wrong and what to do. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/** Returns the error for a database with migrations that this build does not know. */
export function newerSchemaError(name: string, unknownMigrations: readonly string[]): StoreOpenError {
  return new StoreOpenError(
    `Cannot open the database ${name}: a newer version has changed it (${unknownMigrations.join(', ')}); start that version, or restore an earlier backup.`,
  );
}

/** Returns the first line of an error's message, for errors without a better description. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}
