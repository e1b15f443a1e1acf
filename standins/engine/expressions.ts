/** The subset of CEL that a delivery system needs; anything else is refused with a sentence that says so. */
const SUPPORTED =
  "event.* and async.* paths, strings, numbers, true, false, null, == != < <= > >= && || ! + - * / % ? : ( )";

/** An expression this engine cannot read. The message names the expression and what it stumbled over. */
export class ExpressionError extends Error {
  override name = "ExpressionError";
}

export type Scope = { event?: unknown; async?: unknown };

type Evaluate = (scope: Scope) => unknown;
type Token = {
  kind: "number" | "string" | "name" | "sign" | "end";
  text: string;
  value: unknown;
  at: number;
};

const BINDING: Record<string, number> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "%": 6,
};

const compiled = new Map<string, Evaluate>();

/** Compiled expressions kept; far more than one app registers, few enough to forget old ones cheaply. */
const COMPILED_LIMIT = 1000;

/** Throws {@link ExpressionError} unless the engine can evaluate the expression. */
export function checkExpression(source: string): void {
  compile(source);
}

/** The expression's value. Missing fields are null, and arithmetic or order on a missing field is null too. */
export function evaluate(source: string, scope: Scope): unknown {
  return compile(source)(scope);
}

/** True only if the expression is exactly true, as for triggers, waits and cancellations. */
export function holds(source: string, scope: Scope): boolean {
  return evaluate(source, scope) === true;
}

/** A key's value as text. A missing field is "<nil>", so all events without it share one key. */
export function keyText(source: string, scope: Scope): string {
  const value = evaluate(source, scope);
  if (value === null || value === undefined) return "<nil>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function compile(source: string): Evaluate {
  const known = compiled.get(source);
  if (known) return known;
  const parser = new Parser(source);
  const result = parser.whole();
  if (compiled.size >= COMPILED_LIMIT) compiled.clear();
  compiled.set(source, result);
  return result;
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||[<>!+\-*/%?:().[\]]))/y;

class Parser {
  private readonly tokens: Token[] = [];
  private index = 0;

  constructor(private readonly source: string) {
    TOKEN.lastIndex = 0;
    let at = 0;
    while (source.slice(at).trim() !== "") {
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(source);
      if (!match) this.refuse(source.slice(at).trim().charAt(0), at);
      const [whole, number, string, name, sign] = match as RegExpExecArray;
      at += whole.length;
      if (number !== undefined) this.push("number", number, Number(number), at);
      else if (string !== undefined) this.push("string", string, unquote(string), at);
      else if (name !== undefined) this.push("name", name, name, at);
      else this.push("sign", sign as string, sign, at);
    }
    this.push("end", "the end", null, source.length);
  }

  whole(): Evaluate {
    const result = this.ternary();
    if (this.peek().kind !== "end") this.refuse(this.peek().text, this.peek().at);
    return result;
  }

  private ternary(): Evaluate {
    const condition = this.binary(1);
    if (!this.take("?")) return condition;
    const yes = this.ternary();
    this.expect(":");
    const no = this.ternary();
    return (scope) => (condition(scope) === true ? yes(scope) : no(scope));
  }

  private binary(least: number): Evaluate {
    let left = this.unary();
    for (;;) {
      const sign = this.peek();
      const binding = sign.kind === "sign" ? BINDING[sign.text] : undefined;
      if (binding === undefined || binding < least) return left;
      this.index += 1;
      left = operation(sign.text, left, this.binary(binding + 1));
    }
  }

  private unary(): Evaluate {
    if (this.take("!")) {
      const operand = this.unary();
      return (scope) => operand(scope) !== true;
    }
    if (this.take("-")) {
      const operand = this.unary();
      return (scope) => -Number(operand(scope));
    }
    return this.primary();
  }

  private primary(): Evaluate {
    const token = this.peek();
    this.index += 1;
    if (token.kind === "number" || token.kind === "string") return () => token.value;
    if (token.text === "(") {
      const inside = this.ternary();
      this.expect(")");
      return inside;
    }
    if (token.text === "true") return () => true;
    if (token.text === "false") return () => false;
    if (token.text === "null") return () => null;
    if (token.text === "event" || token.text === "async") return this.path(token.text);
    return this.refuse(token.text, token.at);
  }

  private path(root: "event" | "async"): Evaluate {
    const fields: string[] = [];
    for (;;) {
      if (this.take(".")) {
        const field = this.peek();
        if (field.kind !== "name") this.refuse(field.text, field.at);
        fields.push(field.text);
        this.index += 1;
      } else if (this.take("[")) {
        const field = this.peek();
        if (field.kind !== "string" && field.kind !== "number") this.refuse(field.text, field.at);
        fields.push(String(field.value));
        this.index += 1;
        this.expect("]");
      } else break;
    }
    if (this.peek().text === "(") this.refuse(`${fields.at(-1) ?? root}()`, this.peek().at);
    return (scope) => {
      let value: unknown = scope[root];
      for (const field of fields) {
        if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return null;
        value = (value as Record<string, unknown>)[field];
      }
      return value ?? null;
    };
  }

  private push(kind: Token["kind"], text: string, value: unknown, end: number): void {
    this.tokens.push({ kind, text, value, at: end - (kind === "end" ? 0 : text.length) });
  }

  private peek(): Token {
    return this.tokens[this.index] as Token;
  }

  private take(text: string): boolean {
    const token = this.peek();
    if (token.kind !== "sign" || token.text !== text) return false;
    this.index += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) this.refuse(this.peek().text, this.peek().at);
  }

  private refuse(found: string, at: number): never {
    throw new ExpressionError(
      `Expression ${JSON.stringify(this.source)}: cannot read ${JSON.stringify(found)} at character ${at + 1}. ` +
        `This engine reads ${SUPPORTED}.`,
    );
  }
}

function operation(sign: string, left: Evaluate, right: Evaluate): Evaluate {
  switch (sign) {
    case "||":
      return (scope) => left(scope) === true || right(scope) === true;
    case "&&":
      return (scope) => left(scope) === true && right(scope) === true;
    case "==":
      return (scope) => same(left(scope), right(scope));
    case "!=":
      return (scope) => !same(left(scope), right(scope));
    default:
      return (scope) => calculate(sign, left(scope), right(scope));
  }
}

function calculate(sign: string, left: unknown, right: unknown): unknown {
  if (typeof left === "string" && typeof right === "string") {
    if (sign === "+") return left + right;
    return compare(sign, left, right);
  }
  if (typeof left !== "number" || typeof right !== "number") return null;
  if (sign === "+") return left + right;
  if (sign === "-") return left - right;
  if (sign === "*") return left * right;
  if (sign === "/") return right === 0 ? null : left / right;
  if (sign === "%") return right === 0 ? null : left % right;
  return compare(sign, left, right);
}

function compare<T extends string | number>(sign: string, left: T, right: T): boolean | null {
  if (sign === "<") return left < right;
  if (sign === "<=") return left <= right;
  if (sign === ">") return left > right;
  return sign === ">=" ? left >= right : null;
}

function same(left: unknown, right: unknown): boolean {
  if (typeof left === "object" && left !== null) return JSON.stringify(left) === JSON.stringify(right);
  return left === right;
}

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
}
