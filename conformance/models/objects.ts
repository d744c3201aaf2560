import { expect } from 'bun:test';
import { asArray, asObject } from '../shared/json.ts';
import type { AskOptions, World } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A Model object of a response, with its metadata extracted. */
export interface ModelObject {
  readonly id: string;
  readonly whole: Fields;
  readonly vendor: Fields;
  readonly category: string;
}

export function modelObject(value: unknown, vendorKey = 'vendor'): ModelObject {
  const whole = asObject(value);
  const vendor = asObject(whole[vendorKey]);
  return { id: String(whole.id), whole, vendor, category: String(vendor.category) };
}

/** Returns the models of a list, whose request must have succeeded. */
export async function listOf(world: World, path: string, options?: AskOptions): Promise<readonly ModelObject[]> {
  const { status, json } = await world.ask(path, options);
  expect([path, status]).toEqual([path, 200]);
  return asArray(json.data).map((model) => modelObject(model));
}

export async function idsOf(world: World, path: string, options?: AskOptions): Promise<readonly string[]> {
  return (await listOf(world, path, options)).map(({ id }) => id);
}

export async function detailOf(world: World, id: string, options?: AskOptions): Promise<ModelObject> {
  const { status, json } = await world.ask(`/v1/models/${id}`, options);
  expect([id, status]).toEqual([id, 200]);
  return modelObject(json);
}

/** Returns the items of the generative-content list. */
export async function geminiItems(world: World, query = '', options?: AskOptions): Promise<readonly Fields[]> {
  const { status, json } = await world.ask(`/v1beta/models${query}`, options);
  expect([query, status]).toEqual([query, 200]);
  return asArray(json.models).map(asObject);
}

export async function geminiIds(world: World, query = '', options?: AskOptions): Promise<readonly string[]> {
  return (await geminiItems(world, query, options)).map(({ name }) => String(name).replace(/^models\//, ''));
}
