import type { RequestTemplate } from '../load/protocol.ts';

/** The path of a server's chat completions, the headers that it requires, and its name for the benchmark's model. */
export interface RequestForm {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
}

/** Returns the chat completion in the form that one server requires. */
export function putInForm(template: RequestTemplate, form: RequestForm): RequestTemplate {
  const body = JSON.parse(template.body) as object; // Every template is ours, an object with a model.
  const headers = { 'Content-Type': 'application/json', ...form.headers };
  return { ...template, path: form.path, headers, body: JSON.stringify({ ...body, model: form.model }) };
}
