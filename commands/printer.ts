/** The longest name in front of a line. */
const NAME_WIDTH = 8;

/** One colour per program, told apart from the colours in which programs mark errors. */
const COLOURS: Record<string, number> = { app: 36, engine: 35, standins: 34, postgres: 33, punctual: 32 };

/** Prints lines with the name of the program that said them; in colour on a terminal that wants it. */
export function printer(): (name: string, line: string) => void {
  const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
  return (name, line) => {
    const head = `${name.padEnd(NAME_WIDTH)} │`;
    const colour = COLOURS[name];
    process.stdout.write(`${coloured && colour ? `\u001b[${colour}m${head}\u001b[0m` : head} ${line}\n`);
  };
}
