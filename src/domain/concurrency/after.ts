/**
 * Calls `next` with the value: at once, or after the promise if it is one. If the promise rejects, `failed` gets the error. Use it off the
 * main road of a request; there a ternary saves the closure.
 */
export function after<Value, Result, Otherwise = never>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
  failed?: (error: unknown) => Otherwise,
): Result | Otherwise | Promise<Result | Otherwise> {
  return value instanceof Promise ? value.then<Result, Otherwise>(next, failed) : next(value);
}
