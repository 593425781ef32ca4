//! Every message between hub, robots and operator, and the ZeroMQ sockets that carry them
