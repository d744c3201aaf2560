import type { RequestTemplate } from '../load/protocol.ts';

/** Where a server listens for chat completions, what it wants to be shown, and what it calls the benchmark's model. */
export interface RequestForm {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
}

/** The same chat completion, put in the way of one server. */
export function putInForm(template: RequestTemplate, form: RequestForm): RequestTemplate {
  const body = JSON.parse(template.body) as object; // Every template is one of our own, an object with a model.
  const headers = { 'Content-Type': 'application/json', ...form.headers };
  return { ...template, path: form.path, headers, body: JSON.stringify({ ...body, model: form.model }) };
}
