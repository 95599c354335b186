// app/subscriptions/{id}: the same as subscriptions/{id}, under the contract's second path.
import * as subscription from "../../../subscriptions/[id]/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = subscription;
