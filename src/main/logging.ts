import pino, { type Logger } from 'pino';

/**
 * JSON lines on standard output, written in batches so that logging does not wait for the terminal. Fields are chosen by
 * the callers: prompts, answers and keys are never among them.
 */
export function createLogger(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 15 * 1024 });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  // Quiet times must not keep the last lines back.
  setInterval(() => destination.flush(), 100).unref();
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // Standard output is closed: there is nowhere left to say it.
    }
  });
  return logger;
}
