import { auth } from "../../../_auth/auth";

/** The sign-in library's own endpoints: session, sign-out, code. The pages do not need them; other clients may. */
const handle = (request: Request) => auth().handler(request);

export { handle as GET, handle as POST };
