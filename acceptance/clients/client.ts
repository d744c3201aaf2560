import type { Step } from '../../conformance/coding-agents/script.ts';

/** Where and with which model a client works. */
export interface Job {
  /** The origin of the gateway, without a path. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  /** Whether the client continues its previous conversation in the same folders. */
  readonly resumes: boolean;
  /** The client's own home folder. */
  readonly home: string;
  /** The client's working folder. */
  readonly folder: string;
  /** Where its packages are installed. */
  readonly packages: string;
}

export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that the client needs, by path below its home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A published program that people use with a gateway. Only base URL, key and model are set. */
export interface Client {
  readonly name: string;
  /** The format that it speaks. */
  readonly format: string;
  /** From npm, or from PyPI with a Python 3.10 or later that can make virtual environments. */
  readonly source: 'npm' | 'pypi';
  /** Packages with versions, in the installer's notation. */
  readonly packages: readonly string[];
  command(job: Job): Command;
  /** A call of the client's own tool that reads the file. `run` and `write` are calls that run a command and write a file. */
  read(path: string): Step;
  run(shell: string): Step;
  write(path: string, content: string): Step;
}
