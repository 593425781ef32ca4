// A publisher of BehaviorTree.CPP for Groot2 at the port of the first argument: a reactive sequence of a success and a failure.
// tools/btcpp/test.sh builds it. It says `ready`, ticks its tree for each line of standard input and says `ticked`.
#include <behaviortree_cpp/bt_factory.h>
#include <behaviortree_cpp/loggers/groot2_publisher.h>

#include <iostream>

int main(int argc, char** argv)
{
  if(argc < 2)
    return 2;
  BT::BehaviorTreeFactory factory;
  auto tree = factory.createTreeFromText(R"(<root BTCPP_format="4"><BehaviorTree ID="xpuck">
    <ReactiveSequence><AlwaysSuccess/><AlwaysFailure/></ReactiveSequence></BehaviorTree></root>)");
  BT::Groot2Publisher publisher(tree, static_cast<unsigned>(std::stoi(argv[1])));
  std::cout << "ready" << std::endl;
  for(std::string line; std::getline(std::cin, line);)
  {
    tree.tickOnce();
    std::cout << "ticked" << std::endl;
  }
}
