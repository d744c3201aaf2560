import type { Step } from '../../conformance/coding-agents/script.ts';

/** Where a client works, and with which model. */
export interface Job {
  /** The gateway's, without a path. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  /** Goes on with the work before it, in the same places. */
  readonly resumes: boolean;
  /** A home of the client's own. */
  readonly home: string;
  /** The folder of its work. */
  readonly folder: string;
  /** Where its packages are installed. */
  readonly packages: string;
}

export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files below the home that it needs. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A program that people use with a gateway, as it is published, and unchanged but for base URL, key and model. */
export interface Client {
  readonly name: string;
  /** The format that it speaks. */
  readonly format: string;
  /** From npm, or from PyPI with a Python 3.10 or later that can make virtual environments. */
  readonly source: 'npm' | 'pypi';
  /** Each with its version, as the installer takes it. */
  readonly packages: readonly string[];
  command(job: Job): Command;
  /** A call of the client's own tools: what reads the file, writes it with a command, or writes it by itself. */
  read(path: string): Step;
  run(shell: string): Step;
  write(path: string, content: string): Step;
}
