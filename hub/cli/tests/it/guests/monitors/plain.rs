//! A monitor client written only from the documentation ("Network Protocol", Simspark wiki). The client uses no code of
//! the gateway.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;
use xpuck_testing::patience;

/// An S-expression.
#[derive(Clone, Debug)]
pub enum Expr {
    Word(String),
    List(Vec<Expr>),
}

impl Expr {
    fn all(text: &str) -> Vec<Expr> {
        let mut open = vec![Vec::new()];
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        for token in spaced.split_whitespace() {
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = open.pop().unwrap();
                    open.last_mut().expect("parentheses match").push(Expr::List(list));
                }
                word => open.last_mut().unwrap().push(Expr::Word(word.into())),
            }
        }
        assert_eq!(open.len(), 1, "parentheses match: {text}");
        open.pop().unwrap()
    }

    fn items(&self) -> &[Expr] {
        match self {
            Expr::Word(_) => &[],
            Expr::List(items) => items,
        }
    }

    fn word(&self) -> &str {
        match self {
            Expr::Word(word) => word,
            Expr::List(_) => "",
        }
    }

    fn name(&self) -> &str {
        self.items().first().map_or("", Expr::word)
    }

    fn numbers(&self) -> Vec<f64> {
        self.items()[1..].iter().map(|item| item.word().parse().unwrap()).collect()
    }
}

/// A node of the scene graph.
#[derive(Clone, Debug, Default)]
struct Node {
    matrix: Option<Vec<f64>>,
    model: String,
    materials: Vec<String>,
    children: Vec<Node>,
}

impl Node {
    fn full(list: &Expr) -> Node {
        assert_eq!(list.name(), "nd");
        let mut node = Node::default();
        for part in &list.items()[2..] {
            match part.name() {
                "nd" => node.children.push(Node::full(part)),
                "SLT" => node.matrix = Some(part.numbers()),
                "load" => node.model = part.items()[1].word().into(),
                "resetMaterials" => node.materials = part.items()[1..].iter().map(|m| m.word().into()).collect(),
                _ => {}
            }
        }
        node
    }

    /// Applies a partial scene, in which unchanged nodes are empty.
    fn change(&mut self, list: &Expr) {
        assert_eq!(list.name(), "nd");
        if let Some(matrix) = list.items().iter().find(|part| part.name() == "SLT") {
            self.matrix = Some(matrix.numbers());
        }
        let children: Vec<&Expr> = list.items().iter().filter(|part| part.name() == "nd").collect();
        assert_eq!(children.len(), self.children.len(), "the structure stays");
        self.children.iter_mut().zip(children).for_each(|(child, list)| child.change(list));
    }

    fn meshes(&self) -> Vec<&Node> {
        let below = self.children.iter().flat_map(Node::meshes);
        below.chain((!self.model.is_empty()).then_some(self)).collect()
    }
}

/// Robot of the scene: side (`l` or `r`), number, position (m), heading (rad).
pub type Robot = (char, u32, [f64; 2], f64);

/// A connected monitor.
pub struct Monitor {
    stream: TcpStream,
    bytes: Vec<u8>,
    nodes: Vec<Node>,
    /// Numbers of received scenes: full scenes, partial scenes.
    pub scenes: [u32; 2],
    /// Game state and environment: the name and the first value of each field.
    pub fields: Vec<(String, String)>,
    /// Words that the server has acknowledged.
    pub acks: Vec<String>,
}

impl Monitor {
    pub fn connect(at: SocketAddr) -> Monitor {
        let stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        Monitor { stream, bytes: Vec::new(), nodes: Vec::new(), scenes: [0; 2], fields: Vec::new(), acks: Vec::new() }
    }

    pub fn send(&mut self, command: &str) {
        self.stream.write_all(&(command.len() as u32).to_be_bytes()).unwrap();
        self.stream.write_all(command.as_bytes()).unwrap();
    }

    /// Returns the text of the next message.
    fn message(&mut self) -> String {
        loop {
            if let Some(head) = self.bytes.first_chunk::<4>() {
                let end = 4 + u32::from_be_bytes(*head) as usize;
                if self.bytes.len() >= end {
                    let text = String::from_utf8(self.bytes[4..end].to_vec()).unwrap();
                    self.bytes.drain(..end);
                    return text;
                }
            }
            let mut piece = [0; 4096];
            let count = self.stream.read(&mut piece).unwrap();
            assert!(count > 0, "the server closed the connection");
            self.bytes.extend(&piece[..count]);
        }
    }

    /// Reads the next message, and updates the scene, the fields or the acknowledged words.
    pub fn receive(&mut self) {
        let text = self.message();
        let parts = Expr::all(&text);
        if parts[0].name() == "ack" {
            self.acks.push(parts[0].items()[1].word().into());
            return;
        }
        let [said, header, graph] = &parts[..] else { panic!("three parts: {text}") };
        for field in said.items() {
            let value = field.items()[1].word().to_string();
            self.fields.retain(|(name, _)| name != field.name());
            self.fields.push((field.name().into(), value));
        }
        match header.name() {
            "RSG" => {
                self.scenes[0] += 1;
                self.nodes = graph.items().iter().map(Node::full).collect();
            }
            "RDS" => {
                self.scenes[1] += 1;
                assert_eq!(graph.items().len(), self.nodes.len(), "the structure stays");
                self.nodes.iter_mut().zip(graph.items()).for_each(|(node, list)| node.change(list));
            }
            other => panic!("{other}: {text}"),
        }
    }

    /// Reads messages until a condition holds.
    pub fn until(&mut self, what: &str, so: impl Fn(&Monitor) -> bool) {
        let began = Instant::now();
        while !so(self) {
            assert!(began.elapsed() < patience(), "{what}: {:?} {:?} {:?}", self.robots(), self.ball(), self.fields);
            self.receive();
        }
    }

    pub fn value(&self, name: &str) -> f64 {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name} was not told: {:?}", self.fields)).1.parse().unwrap()
    }

    /// Returns the robots in the scene. A robot is a top-level node that has a mesh with the material of a number.
    pub fn robots(&self) -> Vec<Robot> {
        let robot = |node: &Node| {
            let mesh = node.meshes().into_iter().find(|mesh| mesh.materials.iter().any(|m| m.starts_with("matNum")))?;
            let number = mesh.materials.iter().find_map(|m| m.strip_prefix("matNum")?.parse().ok())?;
            let side = if mesh.materials.iter().any(|m| m == "matLeft") { 'l' } else { 'r' };
            let matrix = node.matrix.as_ref()?;
            Some((side, number, [matrix[12], matrix[13]], matrix[1].atan2(matrix[0])))
        };
        self.nodes.iter().filter_map(robot).collect()
    }

    pub fn robot(&self, side: char, number: u32) -> Option<Robot> {
        self.robots().into_iter().find(|robot| (robot.0, robot.1) == (side, number))
    }

    /// Returns the positions (m) of all top-level nodes that have a box as mesh.
    pub fn boxes(&self) -> Vec<[f64; 3]> {
        let is_box = |node: &&Node| node.meshes().iter().any(|mesh| mesh.model == "StdUnitBox");
        let place = |node: &Node| node.matrix.as_ref().map(|matrix| [matrix[12], matrix[13], matrix[14]]);
        self.nodes.iter().filter(is_box).filter_map(place).collect()
    }

    pub fn ball(&self) -> Option<[f64; 2]> {
        let is_ball = |node: &&Node| node.meshes().iter().any(|mesh| mesh.model.ends_with("soccerball.obj"));
        self.nodes.iter().find(is_ball)?.matrix.as_ref().map(|matrix| [matrix[12], matrix[13]])
    }
}
